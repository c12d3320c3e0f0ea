import type { Route } from '@platform-backend/contract/http';
import { MAX_MESSAGE_BYTES, type ServiceChannel } from '@platform-backend/grpc';
import { answerProblemAndLinger } from '../exchange/answer.ts';
import type { ClientAddressOf } from '../exchange/client-address.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { BODY_TOO_LARGE, bodyTooLarge } from '../exchange/problem.ts';
import type { CallSemaphore } from '../limits/call-semaphore.ts';
import type { Fail, PolicyDefinition } from '../pipeline/policy.ts';
import { answerWithoutOperation } from '../transcode/answer-without-operation.ts';
import type { BodyMemory } from '../transcode/body-room.ts';
import { readBody } from '../transcode/body.ts';
import { deadlineOf } from '../transcode/deadlines.ts';
import { holderOf } from '../transcode/holder.ts';
import { memoryBudget } from '../transcode/memory-budget.ts';
import type { OpenStreams } from '../transcode/open-streams.ts';
import { transcoder } from '../transcode/transcoder.ts';

export interface TranscodePorts {
  /** The channel to the service of a domain; undefined where no address is configured. */
  readonly channelOf: (domain: string) => ServiceChannel | undefined;
  /** Slots of the calls with a single answer to the service of a domain. */
  readonly semaphoreOf: (domain: string) => CallSemaphore | undefined;
  readonly fail: Fail;
  readonly clientAddressOf: ClientAddressOf;
  readonly streams: OpenStreams;
  /** How long a stream may last. */
  readonly streamDeadlineMs: number;
}

/** How many times its size a JSON body may have as a message: `[0,0]` grows most, each `0,` to a Value of eleven bytes. */
const JSON_GROWTH = 6;
/** Bytes that a message or a form has beside the file in it. */
const BESIDE_A_FILE = 1024 * 1024;
/** A form up to this size is read whole, as other bodies are: nothing is gained by streaming it. */
const SMALL_FORM_BYTES = 64 * 1024;

interface Settings {
  readonly deadlineMs: number;
  readonly readDeadlineMs: number;
  readonly jsonLimitBytes: number;
  readonly audioLimitBytes: number;
  readonly bodyMemoryLimitBytes: number;
  readonly callerBodyMemoryLimitBytes: number;
  readonly addressBodyMemoryLimitBytes: number;
}

export const transcodeSettings = {
  type: 'object',
  properties: {
    deadlineMs: {
      type: 'integer',
      minimum: 1,
      default: 10_000,
      description: 'milliseconds: a slower service is 504, unless the contract gives its operation longer',
    },
    readDeadlineMs: {
      type: 'integer',
      minimum: 1,
      default: 2_000,
      description: 'milliseconds: the same for what only reads',
    },
    // Whatever is let in fits into a call to a service.
    jsonLimitBytes: {
      type: 'integer',
      minimum: 1,
      maximum: Math.floor(MAX_MESSAGE_BYTES / JSON_GROWTH),
      default: 1024 * 1024,
      description: 'a larger body is 413; counted in bytes received',
    },
    audioLimitBytes: {
      type: 'integer',
      minimum: 1,
      maximum: MAX_MESSAGE_BYTES - BESIDE_A_FILE,
      default: 25 * 1024 * 1024,
      description: 'the same for multipart forms with a file',
    },
    bodyMemoryLimitBytes: {
      type: 'integer',
      minimum: 1,
      default: 256 * 1024 * 1024,
      description: 'what all bodies together may take of memory at one moment; beyond it new ones are 503',
    },
    callerBodyMemoryLimitBytes: {
      type: 'integer',
      minimum: 1,
      default: 32 * 1024 * 1024,
      description: 'those of one credential; beyond it its next one is 429; not below the largest body',
    },
    addressBodyMemoryLimitBytes: {
      type: 'integer',
      minimum: 1,
      default: 128 * 1024 * 1024,
      description: 'those of one address (see `GATEWAY_TRUSTED_PROXIES`); beyond it its next one is 429',
    },
  },
} as const;

/** The last policy: answers with what the service of the operation says, or with why there is none. */
export const transcodePolicy = ({ clientAddressOf, ...ports }: TranscodePorts): PolicyDefinition => ({
  name: 'transcode',
  settings: transcodeSettings,
  create(settings) {
    const { deadlineMs, readDeadlineMs, jsonLimitBytes, audioLimitBytes, ...shares } = settings as unknown as Settings;
    const heldLimits = {
      total: shares.bodyMemoryLimitBytes,
      caller: shares.callerBodyMemoryLimitBytes,
      network: shares.addressBodyMemoryLimitBytes,
      // A body is there for moments: what its credentials may hold is bound enough.
      organisation: Infinity,
    };
    const held = memoryBudget(heldLimits);
    const holder = holderOf(clientAddressOf);
    const memoryOf = (exchange: Exchange): BodyMemory => ({ heldLimits, held, holder: holder(exchange) });
    const transcode = transcoder({
      ...ports,
      deadlineMsOf: deadlineOf({ deadlineMs, readDeadlineMs }),
      holderOf: holder,
      memoryOf,
    });
    const answerWhole = (exchange: Exchange, route: Route, limitBytes: number): void =>
      readBody(exchange, { limitBytes, ...memoryOf(exchange), tooLarge: bodyTooLarge(route.maxBytesHint) }, (body) =>
        transcode.answer(exchange, route, body),
      );

    return (exchange) => {
      const { route } = exchange.target;
      const { 'content-type': contentType, 'content-length': contentLength } = exchange.request.headers;
      if (!route) answerWithoutOperation(exchange);
      else if (route.stream?.kind === 'channel') transcode.connect(exchange, route, route.stream);
      else if (route.stream?.kind === 'upload' && route.stream.filePart === undefined) {
        transcode.receive(exchange, route, route.stream);
      } else if (route.stream?.kind === 'upload') {
        const maxLength = Math.min(route.stream.maxLength, audioLimitBytes);
        const announced = Number(contentLength ?? Infinity);
        if (!route.takesFile(contentType)) answerWhole(exchange, route, jsonLimitBytes);
        else if (announced <= SMALL_FORM_BYTES) answerWhole(exchange, route, SMALL_FORM_BYTES);
        else if (contentLength !== undefined && announced > maxLength + BESIDE_A_FILE) {
          answerProblemAndLinger(exchange, BODY_TOO_LARGE);
        } else transcode.receive(exchange, route, { ...route.stream, maxLength });
      } else if (route.http.body === undefined) transcode.answer(exchange, route, undefined);
      else if (route.takesFile(contentType)) answerWhole(exchange, route, audioLimitBytes);
      else answerWhole(exchange, route, Math.max(jsonLimitBytes, route.maxBytes ?? 0));
    };
  },
});
