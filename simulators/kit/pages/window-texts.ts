/** What the windows of all aggregators say in the same words. */
export const WINDOW_TEXTS = {
  searchLabel: { en: 'Name of the bank or credit union', fr: 'Nom de la banque ou de la caisse' },
  search: { en: 'Search', fr: 'Rechercher' },
  noResults: { en: 'No bank has that name.', fr: 'Aucune institution ne porte ce nom.' },
  username: { en: 'Username', fr: 'Nom d’utilisateur' },
  password: { en: 'Password', fr: 'Mot de passe' },
  signIn: { en: 'Sign in', fr: 'Ouvrir une session' },
  continue: { en: 'Continue', fr: 'Continuer' },
} as const

export type Texts<Key extends string> = Readonly<Record<Key, { readonly en: string; readonly fr: string }>>
export type Speak<Key> = (key: Key, values?: Record<string, string>) => string

/** Texts of one language with the names in braces filled in. */
export function createSpeaker<Key extends string>(texts: Texts<Key>, language: 'en' | 'fr'): Speak<Key> {
  return (key, values = {}) => texts[key][language].replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
}
