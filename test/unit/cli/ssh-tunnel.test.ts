import { describeTunnel } from '../../../cli/ssh-tunnel';

const URL_OF_PAGE = 'http://127.0.0.1:8123/?token=abc';

test('over ssh, the command that makes the link work on the own machine is named', () => {
  const first = { SSH_CONNECTION: '192.0.2.7 51234 198.51.100.4 22', USER: 'ana' };
  expect(describeTunnel(URL_OF_PAGE, first)).toBe(
    'You are connected by ssh. First run on your own machine: ssh -N -L 8123:127.0.0.1:8123 ana@198.51.100.4',
  );
  const other = { SSH_CONNECTION: '2001:db8::7 51234 2001:db8::4 2222' };
  expect(describeTunnel(URL_OF_PAGE, other)).toMatch(/ssh -N -L 8123:127\.0\.0\.1:8123 -p 2222 2001:db8::4$/);
});

test.each([{}, { SSH_CONNECTION: '' }])('without a connection, nothing is said: %j', (environment) => {
  expect(describeTunnel(URL_OF_PAGE, environment)).toBeUndefined();
});
