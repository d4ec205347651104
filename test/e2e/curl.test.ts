// Runs a printed curl command in a real shell.
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { curlCommand, type BuiltRequest } from '../../src/lib/http/call/request.ts';
import { getThing } from '../unit/lib/http/endpoints.ts';

const request: BuiltRequest = {
  method: 'GET',
  origin: 'https://api.example',
  path: '/a',
  query: '?b=c&d',
  body: undefined,
};

describe('a printed curl command', () => {
  it('quotes untrusted text so that a shell expands nothing', () => {
    const body = `it's '"$HOME \`id\` \\ !`;
    const command = curlCommand({ ...getThing, auth: 'none' }, { ...request, path: "/'$HOME", body });
    const seen = execFileSync('/bin/sh', ['-c', command.replace('curl', `printf '%s\\n'`)], { encoding: 'utf8' });
    expect(seen.split('\n')).toEqual(expect.arrayContaining([`https://api.example/'$HOME?b=c&d`, body]));
  });
});
