import { fr } from '../../model/texts/french.ts'
import type { frameEn } from './frame-en.ts'

export const frameFrCa: typeof frameEn = {
  frame: {
    title: (source) => fr`Poursuivez chez ${source}`,
    titleBank: (bank) => fr`Connectez ${bank}`,
    text: (source) =>
      fr`${source} s’ouvre dans une fenêtre distincte, pour que vous puissiez en voir l’adresse. Cette page vous attend ici.`,
    go: (source) => fr`Ouvrir ${source}`,
    blockedTitle: 'Votre navigateur a bloqué la fenêtre',
    blockedText: 'Continuez plutôt dans cette fenêtre-ci. Quand vous aurez terminé, vous reviendrez à cette page.',
    blockedGo: (source) => fr`Aller à ${source} dans cette fenêtre`,
    waiting: fr`En attente : terminez dans l’autre fenêtre…`,
    finished: 'J’ai terminé dans l’autre fenêtre',
    closeText: fr`Vous pouvez fermer cette fenêtre : la suite s’affichera automatiquement dans la page où vous avez commencé.`,
    close: 'Fermer cette fenêtre',
  },
}
