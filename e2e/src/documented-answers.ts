import { pathItem, type OpenApiDocument } from './sample-request.ts';

type CodeSchema = { enum?: string[] };
type Answer = { $ref?: string; headers?: { 'X-Error-Code'?: { schema?: CodeSchema } } };

/** The part of a description that says how operations may end. */
export type DescribedAnswers = OpenApiDocument & {
  paths: Record<string, Record<string, { responses?: Record<string, Answer> }>>;
  components?: { responses?: Record<string, Answer> };
};

/** What of an answer the document does not know, its status or the code of its error; undefined: it knows all of it. */
export function undocumented(
  document: DescribedAnswers,
  { verb, path }: { readonly verb: string; readonly path: string },
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
