/**
 * Describes how a page of this machine is reached from the one that is connected to it by ssh. Returns undefined without such a connection.
 * @param url link of the page
 */
export function describeTunnel(
  url: string,
  { SSH_CONNECTION: connection = '', USER: user }: NodeJS.ProcessEnv,
): string | undefined {
  const [, , host, sshPort] = connection.split(' ');
  if (host === undefined || sshPort === undefined) return undefined;
  const { port } = new URL(url);
  const options = [`-L ${port}:127.0.0.1:${port}`, ...(sshPort === '22' ? [] : [`-p ${sshPort}`])];
  const target = user === undefined || user === '' ? host : `${user}@${host}`;
  return `You are connected by ssh. First run on your own machine: ssh -N ${options.join(' ')} ${target}`;
}
