import { createSpeaker, type Speak as SpeakOf, WINDOW_TEXTS } from '../../kit/pages/window-texts.ts'

const TEXTS = {
  ...WINDOW_TEXTS,
  sandbox: { en: 'Simulated MX, made-up banks', fr: 'MX simulé, institutions fictives' },
  chooseTitle: { en: 'Choose your bank', fr: 'Choisissez votre institution financière' },
  loginTitle: { en: 'Sign in to {bank}', fr: 'Ouvrez une session chez {bank}' },
  loginHint: {
    en: 'In this sandbox anything opens; the password INVALID is refused, with challenge a question is asked.',
    fr: 'Dans ce bac à sable, tout ouvre une session; le mot de passe INVALID est refusé, avec challenge une question est posée.',
  },
  credentialsProblem: {
    en: 'The bank does not know this username and password. Check both and try again.',
    fr: 'L’institution ne reconnaît pas ce nom d’utilisateur et ce mot de passe. Vérifiez-les et réessayez.',
  },
  codeTitle: { en: 'Answer the question', fr: 'Répondez à la question' },
  code: { en: 'What city were you born in?', fr: 'Dans quelle ville êtes-vous né(e) ?' },
  codeHint: { en: 'In this sandbox: correct.', fr: 'Dans ce bac à sable : correct.' },
  codeProblem: { en: 'That answer is not right.', fr: 'Cette réponse n’est pas la bonne.' },
  doneTitle: { en: 'Connected to {bank}', fr: 'Connecté à {bank}' },
  expiredTitle: { en: 'This address has expired', fr: 'Cette adresse est expirée' },
  expiredText: { en: 'Close this page and start again.', fr: 'Fermez cette page et recommencez.' },
} as const

export type TextKey = keyof typeof TEXTS
export type Speak = SpeakOf<TextKey>

export function speaker(language: 'en' | 'fr'): Speak {
  return createSpeaker(TEXTS, language)
}
