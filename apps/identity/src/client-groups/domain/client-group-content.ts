import { clientGroupFull, clientGroupTooLarge } from './errors.ts';

/** How much is in a client group. It is counted with every change, so that nothing of it has to be read to be sure. */
export interface ClientGroupContent {
  readonly members: number;
  readonly workspaces: number;
  /** Of the members, the workspaces and the access lists as JSON, about as a reader gets them. */
  readonly bytes: number;
}

/** A group is read as a whole, so it has to stay readable. */
export const maxClientGroupContent: ClientGroupContent = { members: 1000, workspaces: 1000, bytes: 1024 * 1024 };

/**
 * CONFLICT: the group would hold more than a group may. One that holds more already, from before there were limits, may
 * stay as it is and become smaller.
 */
export function requireRoom(before: ClientGroupContent, after: ClientGroupContent): void {
  const isOver = (measure: keyof ClientGroupContent) =>
    after[measure] > maxClientGroupContent[measure] && after[measure] > before[measure];
  for (const parts of ['members', 'workspaces'] as const) {
    if (!isOver(parts)) continue;
    const max = maxClientGroupContent[parts];
    throw clientGroupFull({ max, parts });
  }
  if (isOver('bytes')) {
    throw clientGroupTooLarge();
  }
}
