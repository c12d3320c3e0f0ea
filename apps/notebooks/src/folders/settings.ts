import { integer } from '@platform-backend/core';

/** How much the folders of notebooks may hold. */
export const folderSettings = {
  NOTEBOOKS_FOLDERS_PER_ORGANISATION_MB: integer({
    default: 1_024,
    min: 1,
    max: 1_048_576,
    description: 'files in the folders of all notebooks of an organisation',
  }),
};
