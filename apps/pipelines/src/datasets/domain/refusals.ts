import { conflict } from '@platform-backend/core';

export const nothingYet = () => conflict('dataset_empty', 'There is no data in this dataset yet');
export const nothingUploaded = () => conflict('nothing_uploaded', 'Nothing was uploaded for this dataset yet');
export const nameTaken = () => conflict('dataset_name_taken', 'There is a dataset of this name already');
