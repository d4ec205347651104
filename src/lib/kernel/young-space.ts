// How much memory V8 gives to new objects in a long run.
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Of all that is new, in both of the halves between which V8 copies what is still in use. */
const ENOUGH_BYTES = 8 * 1024 * 1024;

/**
 * Stops the growth of the space for new objects once it is large enough. V8 doubles it the more has survived, up to
 * 32 MB, so that a long run takes more memory than a short one although it holds no more. Called now and then.
 */
export function holdYoungSpace(): void {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  if (space !== undefined && space.space_size >= ENOUGH_BYTES) setFlagsFromString('--semi-space-growth-factor=1');
}
