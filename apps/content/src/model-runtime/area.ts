import type { Area } from '@platform-backend/service';
import type { ContentContext, service } from '../service.ts';
import { languageModels } from './models/language-models.ts';
import { installedModels } from './models/local-models.ts';

export type ModelRuntimeExports = ReturnType<typeof modelRuntimeArea>['exports'];

/** What runs models: processes that hold one that is installed, and servers that speak OpenAI's protocol. */
export const modelRuntimeArea = ({ settings }: ContentContext) =>
  ({ exports: { models: installedModels(settings), languageModels: languageModels(settings) } }) satisfies Area<
    typeof service.declaration
  >;
