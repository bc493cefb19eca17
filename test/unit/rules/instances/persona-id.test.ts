import { buildPersonaId } from '../../../../rules/instances/persona-id';

test.each([
  [148, 'Real Estate Developer', '148+real_estate_developer'],
  [3, 'Writer/Editor', '3+writer_and_editor'],
  [9, ' Chef\tde cuisine ', '9+chef_de_cuisine'],
])('persona %i, %p, is named %s', (id, occupation, name) => {
  expect(buildPersonaId(id, occupation)).toBe(name);
});
