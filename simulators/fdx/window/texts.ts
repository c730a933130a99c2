const TEXTS = {
  sandbox: { en: 'Simulated bank, made-up accounts', fr: 'Institution simulée, comptes fictifs' },
  loginTitle: { en: 'Sign in to {bank}', fr: 'Ouvrez une session chez {bank}' },
  username: { en: 'Username', fr: 'Nom d’utilisateur' },
  password: { en: 'Password', fr: 'Mot de passe' },
  signIn: { en: 'Sign in', fr: 'Ouvrir une session' },
  loginHint: {
    en: 'In this sandbox: the username business and the password sandbox. The username giant has hundreds of accounts, empty has none.',
    fr: 'Dans ce bac à sable : le nom d’utilisateur business et le mot de passe sandbox. Le nom giant a des centaines de comptes, empty n’en a aucun.',
  },
  problem: { en: 'There is a problem', fr: 'Il y a un problème' },
  credentialsProblem: {
    en: 'The username or the password is wrong. Check both and try again.',
    fr: 'Le nom d’utilisateur ou le mot de passe est erroné. Vérifiez-les et réessayez.',
  },
  accountsProblem: { en: 'Choose at least one account.', fr: 'Choisissez au moins un compte.' },
  consentTitle: { en: 'Share your accounts', fr: 'Partagez vos comptes' },
  consentIntro: {
    en: '{client} asks to read balances, details and transactions of the accounts that you choose. It cannot move money.',
    fr: '{client} demande à lire les soldes, les détails et les opérations des comptes que vous choisissez. Aucun mouvement d’argent n’est possible.',
  },
  accountsLegend: { en: 'Accounts at {bank}', fr: 'Comptes chez {bank}' },
  noAccounts: { en: 'You have no accounts here.', fr: 'Vous n’avez aucun compte ici.' },
  until: {
    en: 'You can take this back at any time. It ends by itself after {days} days without use.',
    fr: 'Vous pouvez retirer cet accord en tout temps. Il prend fin de lui-même après {days} jours sans utilisation.',
  },
  allow: { en: 'Allow', fr: 'Autoriser' },
  cancel: { en: 'Cancel', fr: 'Annuler' },
  errorTitle: { en: 'This request cannot be continued', fr: 'Cette demande ne peut pas se poursuivre' },
  errorText: { en: 'Go back and start again. Code: {code}', fr: 'Revenez en arrière et recommencez. Code : {code}' },
} as const

export type Language = 'en' | 'fr'
export type TextKey = keyof typeof TEXTS

export function say(language: Language, key: TextKey, values: Record<string, string> = {}): string {
  return TEXTS[key][language].replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
}

/** First language of `ui_locales` that the bank supports. */
export function toLanguage(locales: unknown): Language {
  return typeof locales === 'string' && /^fr\b/i.test(locales.trim()) ? 'fr' : 'en'
}
