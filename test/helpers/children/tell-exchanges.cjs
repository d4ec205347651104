// Required by Node before a program that a test starts. Writes each exchange of the program's platforms to a folder.
'use strict';
const { subscribe } = require('node:diagnostics_channel');
const { appendFileSync } = require('node:fs');

subscribe('cdpadm.emulator.exchange', (message) => {
  const { body, ...seen } = /** @type {{ body: Buffer }} */ (message);
  try {
    // Writes the complete line synchronously, because the program may be killed afterward.
    const line = JSON.stringify({ ...seen, body: body.toString('base64') });
    appendFileSync(`${process.env.TEST_EXCHANGES}/${process.pid}.ndjson`, `${line}\n`);
  } catch {
    // Ignores a disk that the test filled.
  }
});
