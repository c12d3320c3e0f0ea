import type { Fields } from '@platform-backend/core';
import type { ImageContent } from './images.ts';

export type ChatMessage =
  | { readonly role: 'user'; readonly text: string; readonly images?: readonly ImageContent[] }
  | { readonly role: 'assistant'; readonly text: string }
  /** A call that the assistant has made, and what the tool has answered: where text stands that nobody here has written. */
  | { readonly role: 'tool'; readonly call: ToolCall; readonly text: string };

/** A tool says itself why it has failed, in words for the model alone: whoever logs it has none of them. */
export class ToolRefusal extends Error {
  readonly #forModel: string;
  constructor(forModel: string) {
    super('a tool says that it has failed');
    this.#forModel = forModel;
  }
  get forModel(): string {
    return this.#forModel;
  }
}

export interface ToolCall {
  readonly id: string;
  readonly tool: string;
  readonly arguments: Fields;
}

/** An argument that is a text; empty where the model has written none. */
export const textArgument = (given: Fields, name: string): string => {
  const value = given[name];
  return typeof value === 'string' ? value : '';
};

/** What a model may do while it answers. Whose rights it has and how far it reaches is settled by whoever made it. */
export interface ModelTool {
  readonly name: string;
  /** For the model: what it is good for. */
  readonly description: string;
  /** Its arguments, all texts and none left out, with what the model shall write there. */
  readonly parameters: Readonly<Record<string, string>>;
  /** A JSON Schema of its arguments, in place of `parameters`: whoever carries it out judges them. */
  readonly schema?: Fields;
  /**
   * Of a tool that changes something: what it would do, in words for the person who approves it, and undefined where there is
   * nothing to do. Absent: it only reads.
   */
  readonly effect?: (given: Fields, signal: AbortSignal) => Promise<string | undefined>;
  /** A person approves each call, also where an assistant carries out at once what has effects. */
  readonly asksAlways?: true;
  /** It may not be carried out twice for one approval, and cannot tell by itself. */
  readonly isOnce?: true;
  /** Answers text for the model. */
  readonly run: (given: Fields, signal: AbortSignal) => Promise<string>;
}

/** How an answer is made, as far as whoever asks says. */
export interface GenerationOptions {
  /** Of what the model writes at once; never more than it may. */
  readonly maxOutputTokens?: number;
  readonly topP?: number;
  /** Texts at which it ends. */
  readonly stop?: readonly string[];
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly seed?: number;
  /** In OpenAI's words: `{"type": "json_schema", ...}`. */
  readonly responseFormat?: Fields;
}

export interface Question {
  /** Whom the model plays and by which rules. */
  readonly instructions: string;
  /** Oldest first; the last one is to be answered. */
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ModelTool[];
  /** One of those that may be asked for; empty: the usual one. */
  readonly model: string;
  /** 0 to 2; null: as the model is set. */
  readonly temperature: number | null;
  readonly generation?: GenerationOptions;
  /** After tools have been used: nothing more is to be said. */
  readonly isOver?: () => boolean;
}

export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export const noUsage: TokenUsage = { inputTokens: 0, outputTokens: 0 };

export const isSameUsage = (one: TokenUsage, other: TokenUsage): boolean =>
  one.inputTokens === other.inputTokens && one.outputTokens === other.outputTokens;

export type EndReason = 'stop' | 'length' | 'content_filter' | 'tool_calls' | 'other';

export type AnswerPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tool_call'; readonly tool: string }
  /** With what went wrong, for the log, where it failed. */
  | { readonly kind: 'tool_result'; readonly tool: string; readonly isError: boolean; readonly error?: unknown }
  /** Why the model stopped, where it says so: `stop` for an answer that is whole. */
  | { readonly kind: 'end'; readonly reason: EndReason }
  /** What has been used so far, the next part included: an answer that ends early has used that much. */
  | { readonly kind: 'usage'; readonly usage: TokenUsage };

/** In millionths of a credit for a million tokens. */
export interface TokenPrice {
  readonly input: bigint;
  readonly output: bigint;
}

export interface ModelTerms {
  /** Of one answer, in and out, all its steps together. */
  readonly maxTokens: number;
  /** How many of them it writes at most. */
  readonly maxWritten: number;
  /** What it reads and writes at once; undefined: nobody has said. */
  readonly contextTokens: number | undefined;
  readonly price: TokenPrice;
}

/** Who answers questions. */
export interface LanguageModel {
  /** Kept with every answer. */
  readonly name: string;
  /** It repeats what tools answer: they give it what may be quoted, and no more. */
  readonly quotesOnly: boolean;
  /** Whether this one of its models, as a question names it, is shown the images of what is said. */
  readonly seesImages: (model: string) => boolean;
  /** What one answer of this one of its models may use at most, and what that costs. */
  readonly termsOf: (model: string) => ModelTerms;
  /**
   * Answers in parts, as they come. UNAVAILABLE: nobody can be reached or all are busy; UPSTREAM_FAILED: what came cannot
   * be used. With an aborted signal it ends soon, with an error.
   */
  readonly answer: (question: Question, signal: AbortSignal) => AsyncIterable<AnswerPart>;
}

/** What a model is asked at a start, to see whether it answers. */
export const TEST_QUESTION = 'This is a test of the connection. Say OK.';

/** Without a tokenizer; right within a third for European languages. */
export const estimatedTokens = (text: string): number => Math.ceil(text.length / 4);
