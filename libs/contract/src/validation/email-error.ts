/** Why a text is no e-mail address; the message is shown to clients. */
export class EmailError extends Error {}
