// The program's name and its version from package.json.
import packageJson from '../../../package.json' with { type: 'json' };

export const PROGRAM = 'cdpadm';
export const VERSION: string = packageJson.version;
