// Loaded before a measured program: at its end it writes its peak memory (kB) to the fourth stream.
'use strict';
const fs = require('node:fs');

process.on('exit', () => {
  fs.writeSync(3, String(process.resourceUsage().maxRSS));
});
