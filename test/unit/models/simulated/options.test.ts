import { parseModelSpec } from '../../../../schemas/model/model-spec';
import { openSimulatedModel } from '../../../../models/simulated/model';
import { parseSimulatedOptions } from '../../../../models/simulated/options';

test('without options it answers at once and rightly', () => {
  expect(parseSimulatedOptions({})).toEqual({ latency: 0, malformed: 0, refused: 0, empty: 0 });
});

test('options are read out of a SPEC', () => {
  const spec = parseModelSpec(
    'simulated:default?latency=200ms&malformed=0.05&refused=.1&fail=Amara&context=8000',
  );
  expect(parseSimulatedOptions(spec.options)).toMatchObject({
    latency: 200,
    malformed: 0.05,
    refused: 0.1,
    fail: 'Amara',
    context: 8000,
  });
  expect(parseSimulatedOptions({ latency: '1.5s' }).latency).toBe(1500);
  expect(parseSimulatedOptions({ judge: 'harsh' })).toMatchObject({ judge: 'harsh' });
});

test.each([
  [{ speed: '3' }, 'there is no option speed'],
  [{ latency: '200' }, 'latency=200 must be a duration such as 200ms or 1.5s'],
  [{ malformed: '5' }, 'malformed=5 must be a fraction from 0 to 1'],
  [{ malformed: 'often' }, 'malformed=often must be a fraction from 0 to 1'],
  [{ malformed: '' }, 'malformed= must be a fraction from 0 to 1'],
  [{ fail: '' }, 'fail= must not be empty'],
  [{ context: '0' }, 'context=0 must be a whole number of tokens, at least 1'],
  [{ judge: 'fair' }, 'judge=fair must be lenient or harsh'],
  [{ context: '8k' }, 'context=8k must be a whole number of tokens, at least 1'],
])('%j is refused: %s', (options, problem) => {
  expect(() => parseSimulatedOptions(options)).toThrow(problem);
  expect(() => openSimulatedModel({ provider: 'simulated', model: 'default', options })).toThrow(
    /latency: .*\n.*malformed: /,
  );
});
