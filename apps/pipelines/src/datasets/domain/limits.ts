/** Milliseconds that a signed URL lives. */
export const URL_LIFETIME_MS = 15 * 60 * 1000;

/** What is begun in the last moment of a URL may still be on its way. */
export const UPLOAD_GRACE_MS = 60 * 60 * 1000;

/** How often the reading of an upload is begun before it is given up: each time before, the process was lost. */
export const MAX_ATTEMPTS = 3;

/** What is in the object store and belongs to nothing in the database is removed after so long. */
export const UNCLAIMED_MS = 24 * 60 * 60 * 1000;

/** Of a dataset's versions the latest so many are kept. */
export const VERSIONS_KEPT = 100;
