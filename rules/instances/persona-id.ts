/** Returns the id of a persona in data sets, such as `148+real_estate_developer`. */
export function buildPersonaId(id: number, occupation: string): string {
  return `${id}+${occupation.trim().toLowerCase().replaceAll('/', ' and ').replaceAll(/\s/g, '_')}`;
}
