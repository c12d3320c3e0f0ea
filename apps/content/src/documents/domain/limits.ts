/** Of an upload's and a download's URL (D30), in milliseconds. */
export const URL_LIFETIME_MS = 15 * 60 * 1000;

/** An upload that began before its URL expired may last so long. */
export const UPLOAD_GRACE_MS = 5 * 60 * 1000;

/** Nobody can still be at work on a document that was removed so long ago. */
export const CLEANUP_REPEAT_MS = 60 * 60 * 1000;

/** How often processing begins before the document counts as one that cannot be processed. */
export const MAX_ATTEMPTS = 5;

/** Of `content`, in UTF-16 code units: what one document of the database and one answer hold without trouble. */
export const MAX_CONTENT = 1024 * 1024;

/** How long to wait before the next attempt, in milliseconds. */
export const retryDelay = (attempts: number): number => Math.min(10_000 * 2 ** (attempts - 1), 10 * 60 * 1000);
