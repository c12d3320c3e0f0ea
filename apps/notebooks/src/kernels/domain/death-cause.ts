/** Why a kernel has ended by itself, in a word that can be counted by. */
export type DeathCause =
  | 'memory'
  | 'recursion'
  | 'unstoppable'
  | 'process'
  | 'protocol'
  | 'server'
  | 'restart'
  | 'other';

/** How the sentences begin that tell people of it. */
const BEGINNINGS: Readonly<Record<string, DeathCause>> = {
  'It held more than': 'memory',
  'It called deeper than': 'recursion',
  'It did not stop when it was interrupted': 'unstoppable',
  'It could not be started again': 'restart',
  'It died on its server': 'server',
  'The connection to its server': 'server',
  'Its server': 'server',
  'Its process': 'process',
  // What no kernel does unless its code makes it.
  'It sent what': 'protocol',
  'It said more at once': 'protocol',
  'It wrote into the folder of its sockets': 'protocol',
};

/** What the code of a kernel may have had a say in is in none of the answers. */
export const deathCause = (reason: string): DeathCause =>
  Object.entries(BEGINNINGS).find(([beginning]) => reason.startsWith(beginning))?.[1] ?? 'other';
