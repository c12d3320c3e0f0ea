export const LOSS_OF_NATS = 'NATS has lost its storage';
const PASSWORD_OF_POSTGRESQL = 'A password of PostgreSQL';
/** What of docs/runbooks.md `npm run test:containers` runs while the platform is used; it may cost no request. */
export const RUN_UNDER_LOAD = [
  PASSWORD_OF_POSTGRESQL,
  'A password of NATS',
  'Passwords of the servers, and certificates',
  'The key of a service',
  'Keys that seal and sign',
  LOSS_OF_NATS,
  'Dead letters',
];
/** And after it, in this order. */
export const BACKUP = 'A backup';
export const RESTORE = 'A restore';
export const RESTORE_OF_ONE = 'One organisation is to be as it was';

/** Gives the owner of a database another password than its migration was made with. @throws Error as `blocksUnder`. */
export const newPasswordOfAnOwner = (page: string): string => blocksUnder(page, PASSWORD_OF_POSTGRESQL).at(-1) ?? '';

/** The commands below a heading of a page, block by block. @throws Error when there are none. */
export function blocksUnder(page: string, heading: string): string[] {
  const sections = page.split(/^(?=## )/m);
  const section = sections.find((text) => text.startsWith(`## ${heading}\n`));
  const blocks = [...(section ?? '').matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block);
  if (blocks.length === 0) throw new Error(`there are no commands below "${heading}"`);
  return blocks;
}
