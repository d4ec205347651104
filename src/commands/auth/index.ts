// The auth commands.
import { group } from '../../lib/runtime/command-line/define-command.ts';
import { logIn } from './login.ts';
import { logOut } from './logout.ts';
import { testAuth } from './test.ts';

const summary = 'credentials: store, remove and test them';

export const command = group('auth', summary, [testAuth, logIn, logOut]);
