import type { ErrorDialect, Route, Routes } from '@platform-backend/contract/http';
import type { IncomingMessage } from 'node:http';
import { acceptsMediaType, EVENT_STREAM_TYPE } from '../exchange/problem.ts';

/** What the method and the target of a request mean: an operation with its parameters, or why there is none. */
export interface Target {
  /** The path with names for its parameters, `/client-groups/{group_id}/`: safe to log and to count by. */
  readonly template: string;
  readonly path: string;
  readonly rawQuery: string;
  readonly route?: Route;
  readonly pathParameters: Readonly<Record<string, string>>;
  /** The methods that the path has, when this method is not among them. */
  readonly allow?: string;
  /** How clients of a path like this expect errors, where there is no route that says it. */
  readonly dialect?: ErrorDialect | undefined;
  /** Where the same path stands with its slash right. */
  readonly location?: string;
}

const NO_PARAMETERS = Object.freeze({});
/** Paths that lead nowhere have no bound, so they all go by one name. */
const UNMATCHED = 'unmatched';

/** Finds out what requests mean; to be asked once for each. */
export function targetFinder(routes: Routes): (request: IncomingMessage) => Target {
  return ({ method = '', url = '', headers }) => {
    const target = url.startsWith('/') ? url : withoutOrigin(url);
    const mark = target.indexOf('?');
    const path = mark === -1 ? target : target.slice(0, mark);
    const rawQuery = mark === -1 ? '' : target.slice(mark + 1);
    // HEAD is GET of which only the head is sent.
    const asksForEvents = acceptsMediaType(EVENT_STREAM_TYPE, headers.accept);
    const match = routes.match(method === 'HEAD' ? 'GET' : method, path, rawQuery, asksForEvents);

    switch (match.kind) {
      case 'route': {
        const { route, pathParameters } = match;
        return { template: route.http.path, path, rawQuery, route, pathParameters };
      }
      case 'redirect':
        return { template: UNMATCHED, path, rawQuery, pathParameters: NO_PARAMETERS, location: match.location };
      case 'method_not_allowed':
        return {
          ...{ template: UNMATCHED, path, rawQuery, pathParameters: NO_PARAMETERS },
          allow: match.allow,
          dialect: match.dialect,
        };
      case 'not_found':
        return { template: UNMATCHED, path, rawQuery, pathParameters: NO_PARAMETERS, dialect: match.dialect };
    }
  };
}

/** A client may send the whole URL as target, as to a proxy (RFC 9112, 3.2.2): the path is what counts. */
const withoutOrigin = (url: string): string => url.replace(/^https?:\/\/[^/?#]*/i, '');
