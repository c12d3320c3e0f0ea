/** The metadata keys of every call between services. HTTP/2 wants them in lower case. */

/** Request: the signed statement of who is calling for whom. */
export const CALLER_ASSERTION = 'caller-assertion';
/** Request: names one outside request through all the calls it causes. */
export const REQUEST_ID = 'request-id';
/** Request of the gateway: what it made of a client's Idempotency-Key. */
export const IDEMPOTENCY_KEY = 'idempotency-key';
/** Request of the gateway: the states one of which the thing must be in that is changed, separated by spaces, or `*`. */
export const IF_MATCH = 'if-match';
/** Request of the gateway: the states in none of which it may be, or `*`: it may not be there. */
export const IF_NONE_MATCH = 'if-none-match';
/** Trailer: the ErrorKind of a refusal. Its presence says that the status text is public. */
export const ERROR_KIND = 'error-kind';
/** Trailer: the stable code of a refusal. */
export const ERROR_CODE = 'error-code';
/** Trailer: JSON list of violations. */
export const VIOLATIONS = 'violations-bin';
/** Trailer: JSON of what was accepted. */
export const PENDING = 'pending-bin';
/** Trailer: the bytes of a file that has no such range. */
export const LENGTH = 'length';
/** Trailer: seconds until a retry makes sense. */
export const RETRY_AFTER = 'retry-after';
