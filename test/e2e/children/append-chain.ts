// A child process that appends to a chain until it is killed.
import { openChain } from '../../../src/lib/kernel/chain.ts';
import { systemClock } from '../../../src/lib/kernel/clock.ts';
import { withLock } from '../../../src/lib/kernel/lock.ts';

const [path = '', name = ''] = process.argv.slice(2);
const chain = openChain(path, { clock: systemClock });

for (let round = 0; ; round++) {
  const objects = Array.from({ length: 1 + (round % 40) }, (_, at) =>
    JSON.stringify({ event: 'state', id: `${name}-${round}-${at}`, note: 'x'.repeat(round % 500) }),
  );
  await withLock(`${path}.lock`, systemClock, () => chain.append(objects));
  // Prints the id of the last appended line, which must be in the chain afterward.
  if (!process.stdout.write(`${name}-${round}-${objects.length - 1}\n`))
    await new Promise((resolve) => process.stdout.once('drain', resolve));
}
