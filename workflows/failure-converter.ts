import { DefaultFailureConverter, type FailureConverter } from '@temporalio/common';
import { workflowInfo } from '@temporalio/workflow';
import { ENCRYPTED_MEMO } from '../engine/encryption';

const plain = new DefaultFailureConverter();
const encoding = new DefaultFailureConverter({ encodeCommonAttributes: true });

/**
 * What workflows that fail leave in their histories: of an encrypted run the messages and stack traces where the codec reaches them. The
 * bundle of the workflows has it built in.
 */
export const failureConverter: FailureConverter = {
  failureToError: (failure, converter, context) => plain.failureToError(failure, converter, context),
  errorToFailure: (error, converter, context) => {
    const isEncrypted = workflowInfo().memo?.[ENCRYPTED_MEMO] === true;
    return (isEncrypted ? encoding : plain).errorToFailure(error, converter, context);
  },
};
