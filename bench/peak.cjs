// Loaded before a measured program: writes its peak memory (KiB) to file descriptor 3 at exit.
'use strict';
const fs = require('node:fs');

process.on('exit', () => {
  fs.writeSync(3, String(process.resourceUsage().maxRSS));
});
