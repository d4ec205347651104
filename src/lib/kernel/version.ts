// The program's name and version, as package.json states them.
import packageJson from '../../../package.json' with { type: 'json' };

export const PROGRAM = 'cdpadm';
export const VERSION: string = packageJson.version;
