import { declareError } from '@platform-backend/core';

export const invalidApiKey = declareError('unauthenticated', 'invalid_api_key', 'Invalid or expired token');
export const originNotAllowed = declareError('forbidden', 'origin_not_allowed', 'Not enough permissions');
export const creditLimitReached = declareError('payment_required', 'credit_limit_reached', 'Credit limit reached');

/** The headers of the answer say when to come back, and which limit it was. */
export const requestLimitReached = declareError('rate_limited', 'request_limit_reached', 'Too many requests');
export const credentialLimitReached = declareError('rate_limited', 'credential_limit_reached', 'Too many requests');
export const addressLimitReached = declareError('rate_limited', 'address_limit_reached', 'Too many requests');
export const heldBodiesLimitReached = declareError('rate_limited', 'held_bodies_limit_reached', 'Too many requests');
export const openStreamsLimitReached = declareError('rate_limited', 'open_streams_limit_reached', 'Too many requests');

/** What only HTTP has: status, code and text of answers that no service gives. */
export const httpErrors = {
  malformedRequest: [400, 'malformed_request', 'Invalid HTTP request received.'],
  unreadableBody: [400, 'unreadable_body', 'There was an error parsing the body'],
  invalidLogoutToken: [400, 'invalid_logout_token', 'The logout token is not good, or was used before'],
  methodNotAllowed: [405, 'method_not_allowed', 'Method Not Allowed'],
  requestTimeout: [408, 'request_timeout', 'Request timeout'],
  preconditionUnsupported: [
    412,
    'precondition_unsupported',
    'What this changes has no entity tag that If-Match or If-None-Match could name: leave the header out',
  ],
  expectationFailed: [417, 'expectation_failed', 'Expectation Failed'],
  upgradeRequired: [426, 'upgrade_required', 'Upgrade Required'],
  duplicateHeader: [400, 'duplicate_header', 'The header {name} must be sent only once.'],
  headersTooLarge: [431, 'headers_too_large', 'Request header fields too large'],
  overloaded: [503, 'overloaded', 'Service Unavailable'],
  draining: [503, 'draining', 'Service Unavailable'],
} as const;
