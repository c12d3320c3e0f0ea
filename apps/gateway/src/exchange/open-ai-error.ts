/** What went wrong in the words of OpenAI's clients. What it is for programs of ours stays in `X-Error-Code`. */
export interface OpenAiError {
  readonly error: {
    readonly message: string;
    readonly type: string;
    /** The field that is wrong: `messages[0].content`. */
    readonly param: string | null;
    readonly code: string;
  };
}

/** By status; what is the client's to put right otherwise. */
const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'insufficient_quota',
  403: 'permission_error',
  429: 'rate_limit_error',
};

/** The codes that OpenAI's clients know, by status. */
const CODES: Readonly<Record<number, string>> = {
  401: 'invalid_api_key',
  402: 'insufficient_quota',
  429: 'rate_limit_exceeded',
};

/** The same of broken rules. */
const CODES_OF_RULES: Readonly<Record<string, string>> = {
  missing: 'missing_required_parameter',
  extra_forbidden: 'unknown_parameter',
  unsupported_parameter: 'unsupported_parameter',
  unsupported_value: 'unsupported_value',
};

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly detail:
    | string
    | readonly { readonly type: string; readonly loc: readonly (string | number)[]; readonly msg: string }[];
}

export function openAiError({ status, code, detail }: Refusal): OpenAiError {
  const type = TYPES[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error');
  if (typeof detail === 'string') {
    return { error: { message: detail, type, param: null, code: CODES[status] ?? code } };
  }
  const [first] = detail;
  const message = detail
    .map(({ loc, msg }) => [paramOf(loc), msg].filter((part) => part !== null).join(': '))
    .join('; ');
  const param = first ? paramOf(first.loc) : null;
  return { error: { message, type, param, code: CODES_OF_RULES[first?.type ?? ''] ?? 'invalid_value' } };
}

/** `['body', 'messages', 0, 'content']` is `messages[0].content`. Null: the body as a whole, or what is no JSON from somewhere on. */
function paramOf([, ...loc]: readonly (string | number)[]): string | null {
  if (typeof (loc[0] ?? 0) === 'number') return null;
  return loc.map((part, at) => (typeof part === 'number' ? `[${part}]` : at === 0 ? part : `.${part}`)).join('');
}
