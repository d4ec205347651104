// Identities as they may be shown: enough to tell two apart at a glance, too little to know whose they are.

const STARS = '***';

/** `a***@***.org` for an address, `+4***` for anything else; a short value shows nothing. */
export function maskIdentity(value: string): string {
  const mail = /^([^@\s])[^@\s]*@[^@\s]*?(\.[a-z]{2,})?$/i.exec(value);
  if (mail) return `${mail[1] ?? ''}${STARS}@${STARS}${mail[2] ?? ''}`;
  return [...value].length < 6 ? STARS : `${[...value].slice(0, 2).join('')}${STARS}`;
}
