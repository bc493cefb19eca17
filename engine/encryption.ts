/** In the memo of an encrypted run's workflows. */
export const ENCRYPTED_MEMO = 'encrypted';
