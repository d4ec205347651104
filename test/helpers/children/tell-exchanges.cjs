// Required by Node before a program that a test starts: writes each exchange of the program's platforms into a folder.
'use strict';
const { subscribe } = require('node:diagnostics_channel');
const { appendFileSync } = require('node:fs');

subscribe('cdpadm.emulator.exchange', (message) => {
  const { body, ...seen } = /** @type {{ body: Buffer }} */ (message);
  try {
    // At once and whole: the program may be killed behind it.
    const line = JSON.stringify({ ...seen, body: body.toString('base64') });
    appendFileSync(`${process.env.TEST_EXCHANGES}/${process.pid}.ndjson`, `${line}\n`);
  } catch {
    // A disk that a test has filled is the program's affair.
  }
});
