import { declareError } from './declared-error.ts';

/** The organisation that was asked for is not the caller's; whether there is one of that name is not said. */
export const notAMember = declareError('forbidden', 'not_a_member', 'Not a member of this organisation');
export const membershipSuspended = declareError(
  'forbidden',
  'membership_suspended',
  'Your membership of the organisation is suspended: ask one of its owners or administrators to reactivate it',
);

export const levelRequired = declareError(
  'forbidden',
  'level_required',
  'Not enough permissions: this takes the level {level}',
);

/** Waiting longer would only make the queue longer. */
export const busy = declareError('unavailable', 'busy', 'Others are using this right now; try again in a moment', 1);

/** Whoever runs the platform has to make room: of a disk, or of a quota. */
export const storageFull = declareError(
  'unavailable',
  'storage_full',
  'There is no room to store anything at the moment; try again later',
  30,
);

/** This process is at its limit of open files and connections. */
export const tooManyOpenFiles = declareError('unavailable', 'too_many_open_files', 'Service Unavailable', 5);

/** A connection broke while something was being changed: nobody knows whether it was. */
export const outcomeUnknown = declareError(
  'unavailable',
  'outcome_unknown',
  'It is not known whether this was done: see what became of it, or repeat it with the same Idempotency-Key',
  1,
);

/** Nobody has set a key to seal secrets of organisations with. */
export const secretsNotSetUp = declareError(
  'not_provided',
  'secrets_not_set_up',
  'Secrets cannot be kept: this platform has no key to seal them with. Whoever operates it has to set SECRETS_KEY.',
);
