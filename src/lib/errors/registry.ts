// All error codes: exit code, meaning, cause and fix.
import { DSR_ERRORS } from './dsr.ts';
import { EMULATOR_ERRORS, SETUP_ERRORS } from './setup.ts';
import { GENERAL_ERRORS } from './general.ts';
import { HTTP_ERRORS } from './http.ts';
import { ROLES_ERRORS } from './roles.ts';
import { WAREHOUSE_ERRORS } from './warehouse.ts';

export const ERRORS = {
  ...GENERAL_ERRORS,
  ...SETUP_ERRORS,
  ...HTTP_ERRORS,
  ...ROLES_ERRORS,
  ...DSR_ERRORS,
  ...WAREHOUSE_ERRORS,
  ...EMULATOR_ERRORS,
};

export type ErrorCode = keyof typeof ERRORS;
