// A process that runs with a file size limit. It rejects rows until a write fails, then prints the
// number of bytes that it counts as written.
import { openRejects } from '../../../src/lib/files/seed-rejects.ts';

const rejects = openRejects(process.argv[2] ?? '', undefined, () => undefined);
const rows = (count: number) =>
  Array.from({ length: count }, (_, line) => ({ file: 'a.csv', line, reason: 'no xpid', original: 'x'.repeat(50) }));

rejects.add(rows(3));
rejects.sync();
const before = rejects.bytes;
let code: unknown;
try {
  rejects.add(rows(40));
  rejects.sync();
} catch (error) {
  code = (error as { code?: unknown }).code;
}
process.stdout.write(JSON.stringify({ before, after: rejects.bytes, code }));
