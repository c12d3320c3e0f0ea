import { beginningOf, type Fields } from '@platform-backend/core';
import type { CitedSources } from '../../conversations/domain/citations.ts';
import type { Hit, Search, SearchAnswer, SearchFilter } from '../../passages/domain/search.ts';
import type { AssistantConfig, TurnRights } from '../domain/assistant-config.ts';
import { textArgument, type ModelTool } from '../domain/language-model.ts';
import type { DocumentScope } from './turn-context.ts';

/** What tools may reach in one turn. Nothing that a model or a document says makes it wider. */
export interface ToolScope {
  readonly organisationId: string;
  readonly memberId: string;
  readonly rights: TurnRights;
  readonly assistant: AssistantConfig;
  /** Documents in one of these alone; undefined: all. */
  readonly documents: readonly DocumentScope[] | undefined;
  /** Shown are quotes only, not the passages around them. */
  readonly quotesOnly: boolean;
  /** Something was not searched, as the organisation has more than is. */
  readonly onLeftOut: () => void;
}

/** How many passages one use of a tool shows, each with those around it, and how many of them may be of one document. */
const PASSAGES = 6;
const QUOTES = 3;
const CONTEXT_PASSAGES = 1;
const MAX_PER_SOURCE = 4;

/** For models, and for whoever reads what has no words of its own. */
export const SEARCH_WAS_INCOMPLETE =
  'Not everything was searched: the organisation has more than the search takes, and the oldest was left out.';

/** Hits far behind the best one are left out of quotes, and so are those that do not fit: nobody judges them afterwards. */
const FAR_BEHIND = 0.5;

const QUERY = { query: 'What to look for, in the words that the text probably has' };

/** The tools of an assistant as far as its caller has the rights they need. */
export function assistantTools(search: Search, scope: ToolScope, sources: CitedSources): readonly ModelTool[] {
  const { rights, assistant } = scope;
  const tools: ModelTool[] = [];
  const shownBy =
    (...filters: SearchFilter[]) =>
    async (given: Fields, signal: AbortSignal): Promise<string> => {
      const query = textArgument(given, 'query');
      const found: Hit[] = [];
      let isWhole = true;
      for (const filter of filters) {
        const { hits, isComplete } = await hitsOf(search, scope, { query, filter, signal });
        found.push(...hits);
        isWhole &&= isComplete;
      }
      if (!isWhole) scope.onLeftOut();
      const passages = found.map((hit) => shown(hit, sources.numberOf(hit), scope.quotesOnly));
      // Quotes are the answer itself, which says so at its end.
      return [...passages, ...(isWhole || scope.quotesOnly ? [] : [SEARCH_WAS_INCOMPLETE])].join('\n\n');
    };
  if (assistant.tools.includes('search_documents') && (rights.documents || rights.conventions)) {
    tools.push({
      name: 'search_documents',
      description: "Finds passages in the organisation's documents and conventions",
      parameters: QUERY,
      run: shownBy(...filtersOf(scope)),
    });
  }
  if (assistant.tools.includes('read_conventions') && rights.conventions) {
    tools.push({
      name: 'read_conventions',
      description: 'Finds what the organisation has agreed on: rules, terms, ways of doing things',
      parameters: QUERY,
      run: shownBy({ kinds: ['CONVENTION'] }),
    });
  }
  return tools;
}

/** Documents in scope come before conventions, which have no scope. */
function filtersOf({ rights, documents }: ToolScope): SearchFilter[] {
  if (documents === undefined && rights.documents && rights.conventions) return [{ kinds: ['DOCUMENT', 'CONVENTION'] }];
  const ofDocuments = (documents ?? [{}]).map((scope): SearchFilter => ({ ...scope, kinds: ['DOCUMENT'] }));
  return [
    ...(rights.documents ? ofDocuments : []),
    ...(rights.conventions ? [{ kinds: ['CONVENTION'] as const }] : []),
  ];
}

interface ToolInput {
  readonly query: string;
  readonly filter: SearchFilter;
  readonly signal: AbortSignal;
}

/** Long enough for any question; what a model or a person writes beyond is not looked for. */
const MAX_QUERY = 2_000;

async function hitsOf(
  search: Search,
  { organisationId, memberId, quotesOnly }: ToolScope,
  { query, filter, signal }: ToolInput,
): Promise<Pick<SearchAnswer, 'hits' | 'isComplete'>> {
  const text = beginningOf(query, MAX_QUERY);
  if (text.trim() === '') return { hits: [], isComplete: true };
  const limit = quotesOnly ? QUOTES : PASSAGES;
  const { hits, isComplete } = await search.search(
    organisationId,
    {
      ...{ ...filter, text, mode: 'hybrid', limit, memberId, maxPerSource: MAX_PER_SOURCE },
      ...(!quotesOnly && { contextPassages: CONTEXT_PASSAGES }),
    },
    { signal },
  );
  const best = hits[0]?.score ?? 0;
  const fitting = hits.filter(({ score, isRelevant }) => isRelevant && score >= FAR_BEHIND * best);
  return { hits: quotesOnly ? fitting : shownOnce(hits), isComplete };
}

/** Without what a better one of those that stay shows already, around its own passage. */
function shownOnce(hits: readonly Hit[]): readonly Hit[] {
  const shown: Hit[] = [];
  for (const hit of hits) if (!shown.some((better) => shows(better, hit))) shown.push(hit);
  return shown;
}

const shows = ({ context, ...better }: Hit, { kind, id, start, end }: Hit): boolean =>
  context !== undefined && better.kind === kind && better.id === id && context.start <= start && end <= context.end;

function shown({ title, page, text, quote, context }: Hit, number: number, quotesOnly: boolean): string {
  const location = page === undefined ? title : `${title}, page ${String(page)}`;
  return quotesOnly
    ? `> ${quote.text.replaceAll(/\s+/g, ' ').trim()}\n\n${location} [${String(number)}]`
    : `[${String(number)}] ${location}:\n${context?.text ?? text}`;
}
