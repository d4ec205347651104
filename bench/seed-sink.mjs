// The fastest possible server that still counts rows: it reads content lengths and searches for a string that appears
// once in each row. Runs as a separate process. Prints its port and then, for each line on standard input, the counts
// since the previous line.
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

const ROW_MARKER = Buffer.from('"environment"');
const ACCEPTED = Buffer.from('HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n');
const HEAD_END = '\r\n\r\n';

let rows = 0;
let requests = 0;

const server = createServer({ noDelay: true }, (socket) => {
  let head = '';
  let left = 0;
  /** @type {Buffer[]} */
  let parts = [];
  socket.on('error', () => socket.destroy());
  socket.on('data', (data) => {
    for (let at = 0; at < data.length;) {
      if (left === 0) {
        const before = head.length;
        head += data.toString('latin1', at);
        const end = head.indexOf(HEAD_END);
        if (end < 0) return;
        at += end + HEAD_END.length - before;
        left = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0);
        // curl waits for this response before it sends a large body.
        if (/expect: 100/i.test(head)) socket.write('HTTP/1.1 100 Continue\r\n\r\n');
        head = '';
        parts = [];
        continue;
      }
      const taken = Math.min(left, data.length - at);
      parts.push(data.subarray(at, at + taken));
      at += taken;
      left -= taken;
      if (left > 0) continue;
      requests += 1;
      const [first] = parts;
      count(first && parts.length === 1 ? first : Buffer.concat(parts));
      parts = [];
      socket.write(ACCEPTED);
    }
  });
});

/** @param {Buffer} body */
function count(body) {
  for (let at = body.indexOf(ROW_MARKER); at >= 0; at = body.indexOf(ROW_MARKER, at + ROW_MARKER.length)) rows += 1;
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address) process.stdout.write(`${address.port}\n`);
});
createInterface(process.stdin)
  .on('line', () => {
    process.stdout.write(`${JSON.stringify({ rows, requests })}\n`);
    rows = 0;
    requests = 0;
  })
  .on('close', () => process.exit(0));
