/** Texts of the window, by language. */
const ENGLISH = {
  language: 'en',
  agree: 'Agree to link your accounts with Stripe',
  go: 'Agree and continue',
  choose: 'Select your institution',
  institution: 'Institution',
  next: 'Continue',
  signIn: (bank: string) => `Sign in to ${bank}`,
  username: 'Username',
  password: 'Password',
  wrong: 'Incorrect username or password.',
  hint: 'Here: test, test',
  accounts: 'Select accounts',
  link: 'Link accounts',
  close: 'Close',
}

const FRENCH: typeof ENGLISH = {
  language: 'fr-CA',
  agree: 'Acceptez de relier vos comptes avec Stripe',
  go: 'Accepter et continuer',
  choose: 'Sélectionnez votre institution',
  institution: 'Institution',
  next: 'Continuer',
  signIn: (bank) => `Ouvrez une session chez ${bank}`,
  username: 'Nom d’utilisateur',
  password: 'Mot de passe',
  wrong: 'Nom d’utilisateur ou mot de passe incorrect.',
  hint: 'Ici\u00a0: test, test',
  accounts: 'Sélectionnez des comptes',
  link: 'Relier les comptes',
  close: 'Fermer',
}

export type WindowTexts = typeof ENGLISH

export function textsFor(locale: string | null): WindowTexts {
  return locale?.startsWith('fr') ? FRENCH : ENGLISH
}
