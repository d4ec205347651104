// Paths to the repository and its built program.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));
export const PROGRAM = join(root, 'bin', 'cdpadm.js');
