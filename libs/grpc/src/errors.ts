import { declareError } from '@platform-backend/core';

export const organisationRequired = declareError(
  'forbidden',
  'organisation_required',
  'Name an organisation in X-Organisation-Id',
);
export const scopeRequired = declareError(
  'forbidden',
  'scope_required',
  'Not enough permissions: this takes an API key with the scope {scope}',
);
export const tokenRequired = declareError(
  'forbidden',
  'token_required',
  'Not enough permissions: this takes the token of a person, and no API key',
);
/** Of what takes no credential at all, such as the address of an upload, and is given one. */
export const credentialNotAccepted = declareError(
  'forbidden',
  'credential_not_accepted',
  'This address is all that is needed: leave Authorization and Api-key out',
);
export const noOrganisation = declareError(
  'forbidden',
  'no_organisation',
  'No organisation: create one with POST /organisations/, or join one that has invited you',
);

/** A defect between services: the operation does not name the one that calls it. */
export const serviceNotAllowed = declareError('forbidden', 'service_not_allowed', 'Not enough permissions');

export const unreadableMessage = declareError('malformed', 'unreadable_message', 'The request message cannot be read');
export const noUpload = declareError('malformed', 'no_upload', 'There is nothing to upload');

/** The replica stops; another one answers. */
export const draining = declareError('unavailable', 'draining', 'Service Unavailable', 1);

/** Whoever asked has gone, and nobody reads the answer. */
export const callerGone = declareError('deadline_exceeded', 'caller_gone', 'Gateway Timeout');
export const cancelled = declareError('unavailable', 'cancelled', 'Service Unavailable');

/** The first request may have ended in a second. */
export const requestInFlight = declareError(
  'conflict',
  'request_in_flight',
  'The first request with this Idempotency-Key is being carried out; ask again for its answer',
  1,
);
export const answerLost = declareError(
  'conflict',
  'answer_lost',
  'The first request with this Idempotency-Key has changed something, but its answer was lost: see what became of it, and use another key to ask for more',
  5,
);

export const preconditionFailed = declareError(
  'precondition_failed',
  'precondition_failed',
  'It was changed after you read it: read it again, and decide whether your change is still meant',
);
