// A release whose executable is a small script, a server for it, and a PATH with only the programs that a test needs.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { delimiter, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Certificate } from './certificate.ts';
import { listenOnLoopback } from './loopback.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface Result {
  code: number;
  output: string;
}

export const system = `${process.platform}-${process.arch}`;
export const hasInstaller = process.platform !== 'win32' && /^(x64|arm64)$/.test(process.arch);
export const PROGRAM = '#!/bin/sh\necho 0.2.0 "$@"\n';

export function run(file: string, args: string[], cwd: string, env: Record<string, string> = {}): Promise<Result> {
  return new Promise((resolve) => {
    execFile(file, args, { cwd, env: { PATH: process.env['PATH'], HOME: cwd, ...env } }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, output: stdout + stderr });
    });
  });
}

export function executable(file: string, text: string): void {
  writeFileSync(file, text);
  chmodSync(file, 0o755);
}

/** Returns a PATH with only these programs. */
export function pathWith(names: readonly string[]): string {
  const folder = temporaryFolder();
  for (const name of names) {
    const places = (process.env['PATH'] ?? '').split(delimiter).map((place) => join(place, name));
    const file = places.find((path) => existsSync(path));
    if (file !== undefined) symlinkSync(file, join(folder, name));
  }
  return folder;
}

export function releaseFolder(program = PROGRAM): string {
  const folder = temporaryFolder();
  const name = `cdpadm-${system}`;
  writeFileSync(join(folder, name), program);
  writeFileSync(join(folder, 'SHA256SUMS'), `${createHash('sha256').update(program).digest('hex')}  ${name}\n`);
  return folder;
}

/** Serves a folder on a loopback address, over https if there is a certificate, and returns the address. */
export function serve(folder: string, certificate?: Certificate): Promise<string> {
  return listening((request, response) => {
    const file = join(folder, request.url ?? '');
    if (existsSync(file)) response.end(readFileSync(file));
    else response.writeHead(404).end();
  }, certificate);
}

/** Redirects every request to the same path under `target`. */
export function redirectTo(target: string, certificate?: Certificate): Promise<string> {
  return listening(({ url }, response) => {
    response.writeHead(302, { location: `${target}${url}` }).end();
  }, certificate);
}

async function listening(answer: RequestListener, certificate?: Certificate): Promise<string> {
  const server = certificate === undefined ? createHttpServer(answer) : createHttpsServer(certificate, answer);
  onTestFinished(() => void server.close());
  return `http${certificate === undefined ? '' : 's'}://127.0.0.1:${await listenOnLoopback(server)}`;
}
