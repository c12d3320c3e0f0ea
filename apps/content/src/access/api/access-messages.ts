import type { AccessInput as AccessMessage, InitialAccess } from '@platform-backend/contract-content';
import { accessState, type AccessInput, type Restrictable } from '../domain/access.ts';

export const accessMessage = (thing: Restrictable): AccessMessage => ({
  ...accessState(thing),
  visibility: thing.access ? 'restricted' : 'organisation',
  createdBy: thing.createdBy ?? null,
});

/** What a request says; undefined: nothing. */
export const accessOf = (given: InitialAccess | null): AccessInput | undefined => given ?? undefined;
