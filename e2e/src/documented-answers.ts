import { schemaChecks } from '@platform-backend/service/testing/schema-checks';
import type { Answer as Received } from './http.ts';
import { documentedPath, pathItem, type OpenApiDocument } from './sample-request.ts';

type CodeSchema = { enum?: string[] };
type Answer = {
  $ref?: string;
  headers?: { 'X-Error-Code'?: { schema?: CodeSchema } };
  content?: Record<string, { schema?: object }>;
};

type Asked = { readonly verb: string; readonly path: string };

/** The part of a description that says how operations may end. */
export type DescribedAnswers = OpenApiDocument & {
  paths: Record<string, Record<string, { responses?: Record<string, Answer> }>>;
  components?: { responses?: Record<string, Answer> };
};

/** What of an answer the document does not know, its status or the code of its error; undefined: it knows all of it. */
export function undocumented(
  document: DescribedAnswers,
  { verb, path }: Asked,
  { status, headers }: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
): string | undefined {
  const named = pathItem(document, path)?.[verb.toLowerCase()]?.responses?.[String(status)];
  if (!named) return String(status);
  const answer =
    named.$ref === undefined ? named : document.components?.responses?.[named.$ref.split('/').at(-1) ?? ''];
  const code = headers['x-error-code'];
  const codes = answer?.headers?.['X-Error-Code']?.schema?.enum;
  return code === undefined || codes === undefined || codes.includes(code) ? undefined : `${status} ${code}`;
}

/** Looks whether bodies of JSON are what a document says of their operation and status; what is wrong is told, undefined is nothing. */
export function bodyChecks(document: DescribedAnswers) {
  const check = schemaChecks(document);
  return (
    asked: Asked,
    { status, headers, body }: Pick<Received, 'status' | 'headers' | 'body'>,
  ): string | undefined => {
    const steps = [
      'paths',
      documentedPath(document, asked.path),
      asked.verb.toLowerCase(),
      'responses',
      String(status),
    ];
    const named = pathItem(document, asked.path)?.[asked.verb.toLowerCase()]?.responses?.[String(status)];
    const component = named?.$ref?.split('/').at(-1);
    const answer = component === undefined ? named : document.components?.responses?.[component];
    const [type = ''] = (headers['content-type'] ?? '').split(';');
    if (!/json$/.test(type) || answer?.content?.[type]?.schema === undefined) return undefined;
    const pointer = component === undefined ? steps : ['components', 'responses', component];
    const wrong = check([...pointer, 'content', type, 'schema'].map(asFragment).join(''), body);
    return wrong === undefined ? undefined : `${status}: ${wrong}`;
  };
}

/** A step of a JSON pointer in a fragment. */
const asFragment = (name: string): string => `/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`;
