const TEXTS = {
  sandbox: { en: 'Simulated MX, made-up banks', fr: 'MX simulé, institutions fictives' },
  chooseTitle: { en: 'Choose your bank', fr: 'Choisissez votre institution financière' },
  searchLabel: { en: 'Name of the bank or credit union', fr: 'Nom de la banque ou de la caisse' },
  search: { en: 'Search', fr: 'Rechercher' },
  noResults: { en: 'No bank has that name.', fr: 'Aucune institution ne porte ce nom.' },
  loginTitle: { en: 'Sign in to {bank}', fr: 'Ouvrez une session chez {bank}' },
  loginHint: {
    en: 'In this sandbox anything opens; the password INVALID is refused, with challenge a question is asked.',
    fr: 'Dans ce bac à sable, tout ouvre une session; le mot de passe INVALID est refusé, avec challenge une question est posée.',
  },
  username: { en: 'Username', fr: 'Nom d’utilisateur' },
  password: { en: 'Password', fr: 'Mot de passe' },
  signIn: { en: 'Sign in', fr: 'Ouvrir une session' },
  credentialsProblem: {
    en: 'The bank does not know this username and password. Check both and try again.',
    fr: 'L’institution ne reconnaît pas ce nom d’utilisateur et ce mot de passe. Vérifiez-les et réessayez.',
  },
  codeTitle: { en: 'Answer the question', fr: 'Répondez à la question' },
  code: { en: 'What city were you born in?', fr: 'Dans quelle ville êtes-vous né(e) ?' },
  codeHint: { en: 'In this sandbox: correct.', fr: 'Dans ce bac à sable : correct.' },
  codeProblem: { en: 'That answer is not right.', fr: 'Cette réponse n’est pas la bonne.' },
  continue: { en: 'Continue', fr: 'Continuer' },
  doneTitle: { en: 'Connected to {bank}', fr: 'Connecté à {bank}' },
  expiredTitle: { en: 'This address has expired', fr: 'Cette adresse est expirée' },
  expiredText: { en: 'Close this page and start again.', fr: 'Fermez cette page et recommencez.' },
} as const

export type TextKey = keyof typeof TEXTS
export type Speak = (key: TextKey, values?: Record<string, string>) => string

export function speaker(language: 'en' | 'fr'): Speak {
  return (key, values = {}) => TEXTS[key][language].replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
}
