/** What the generated types are made of; see `generate-types.ts` for how they read. */
export type { JsonObject, JsonObjectInput, JsonValue, JsonValueInput } from './json-values.ts';

/** A 64-bit integer to be written: decimal text, a bigint, or a number up to 2^53. */
export type Int64Input = string | bigint | number;

/** The fields an update is about, in the contract's own spelling: `image_url`. */
export interface FieldMask {
  paths: string[];
}

/** Answers one call. What it throws becomes the call's error. */
export type Handler<Request, Answer, Context> = (request: Request, context: Context) => Promise<Answer>;

/** Answers one call with any number of messages; `context.signal` says when nobody listens any more. */
export type StreamHandler<Request, Answer, Context> = (request: Request, context: Context) => AsyncIterable<Answer>;

/** Calls another service. Rejects with the error it answered. */
export type ClientCall<Request, Answer, Options> = (request: Request, options?: Options) => Promise<Answer>;

/** Calls another service that answers with any number of messages. */
export type ClientStream<Request, Answer, Options> = (request: Request, options?: Options) => AsyncIterable<Answer>;
