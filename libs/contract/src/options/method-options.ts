import type { Method } from 'protobufjs';
import type { Access } from './access-options.ts';
import { optional, optionsPackage, rawOption, rawOptions, reader } from './declared-option.ts';

/** How an rpc's answer travels over HTTP. */
export interface HttpAnswer {
  readonly status: number;
  /** The media type of an answer that is not JSON: its only field is the whole body. */
  readonly contentType?: string;
  /** The header Location, with fields of the answer in braces. */
  readonly location?: string;
  /** Of streamed bytes whose type the first message names: which there may be. */
  readonly streamedTypes?: readonly string[];
  /** Of an answer that is JSON: the optional text that is the whole body where it is there. */
  readonly textField?: string;
}

export function httpAnswerOf(method: Method): HttpAnswer {
  const read = reader(rawOption(method, `${optionsPackage}.http_answer`), method.fullName);
  const answer = {
    status: read.number('status', 'status').status ?? 200,
    ...read.text('content_type', 'contentType'),
    ...read.text('location', 'location'),
    ...optional('streamedTypes', read.has('streamed_types') ? read.list('streamed_types') : undefined),
    ...read.text('text_field', 'textField'),
  };
  read.refuseUnread();
  return answer;
}

/** How an operation speaks HTTP where that is not the platform's own way. */
export interface HttpDialect {
  /** `Authorization: token …` and the parameter `token` of the query carry a credential, too. */
  readonly tokenCredential: boolean;
  /** A body of whatever content type is JSON, and none is an empty object. */
  readonly untypedJson: boolean;
  /** Errors are `{"message", "reason"}`. */
  readonly messageErrors: boolean;
  /** The body is a list of CloudEvents, or one of them alone. */
  readonly cloudEvents: boolean;
  /** Errors and events as OpenAI has them; unknown names are refused. */
  readonly openAi: boolean;
}

/** What the rpc says itself stands in place of all that its service says. */
export function httpDialectOf(method: Method): HttpDialect {
  const own = rawOption(method, `${optionsPackage}.http_dialect`);
  const common = method.parent ? rawOption(method.parent, `${optionsPackage}.default_http_dialect`) : undefined;
  const read = reader(own ?? common, method.fullName);
  const dialect = {
    tokenCredential: read.flag('token_credential'),
    untypedJson: read.flag('untyped_json'),
    messageErrors: read.flag('message_errors'),
    cloudEvents: read.flag('cloud_events'),
    openAi: read.flag('open_ai'),
  };
  read.refuseUnread();
  return dialect;
}

/** Whether the rpc goes on where it was when it is asked for again after it was cut short. */
export function isRetrySafe(method: Method): boolean {
  return rawOption(method, `${optionsPackage}.retry_safe`) === true;
}

/** Where what the rpc has begun is found, by the id of its keyed call in place of `{id}`. */
export function pendingLocationOf(method: Method): string | undefined {
  const path = rawOption(method, `${optionsPackage}.pending_location`);
  return typeof path === 'string' && path !== '' ? path : undefined;
}

/** The boolean field of the request by which the rpc is told from one on its path that answers at once. */
export function streamedWhenOf(method: Method): string | undefined {
  const field = rawOption(method, `${optionsPackage}.streamed_when`);
  return typeof field === 'string' && field !== '' ? field : undefined;
}

/** What spends credits makes its service work longer than a read does. */
const COST_OF_SPENDING = 5;

/** How many requests the rpc counts as where those of a credential are limited. */
export function costOf(method: Method, { spends }: Pick<Access, 'spends'>): number {
  return Number(rawOption(method, `${optionsPackage}.cost`) ?? (spends === undefined ? 1 : COST_OF_SPENDING));
}

/** How long callers wait at the least for the answer, in milliseconds, where the rpc says so. */
export function deadlineMsOf(method: Method): number | undefined {
  const seconds = rawOption(method, `${optionsPackage}.deadline_seconds`);
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

/** A status in which an operation fails beside those in which all do. */
export interface ErrorAnswer {
  readonly status: number;
  /** What `X-Error-Code` says then. */
  readonly codes: readonly string[];
  /** When that is, as a sentence. */
  readonly when: string;
  /** There are other codes beside these. */
  readonly openCodes: boolean;
}

/** By status; throws when a status is there twice, or says nothing. */
export function errorAnswersOf(method: Method): readonly ErrorAnswer[] {
  const name = method.fullName.slice(1);
  const answers = rawOptions(method, `${optionsPackage}.errors`).map((raw): ErrorAnswer => {
    const read = reader(raw, name);
    const answer = {
      status: read.number('status', 'status').status ?? 0,
      codes: read.list('codes'),
      when: read.text('when', 'when').when ?? '',
      openCodes: read.flag('open_codes'),
    };
    read.refuseUnread();
    if (answer.status === 0 || answer.codes.length === 0 || answer.when === '')
      throw new Error(`${name}: an error has a status, codes and when it is`);
    return answer;
  });
  if (new Set(answers.map(({ status }) => status)).size < answers.length)
    throw new Error(`${name}: a status has one error, with all its codes`);
  return answers.toSorted((one, other) => one.status - other.status);
}
