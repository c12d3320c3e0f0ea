import { declareError } from './declared-error.ts';

/** The organisation that was asked for is not the caller's; whether there is one of that name is not said. */
export const notAMember = declareError('forbidden', 'not_a_member', 'Not a member of this organisation');

/** Waiting longer would only make the queue longer. */
export const busy = declareError('unavailable', 'busy', 'Others are using this right now; try again in a moment', 1);
