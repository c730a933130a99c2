import { english, french } from '../../../model/texts/plural.ts'
import { table } from '../language/table.ts'

export const scheduleTexts = table(
  {
    title: 'Refresh schedule',
    change: 'Change schedule',
    label: 'Frequency',
    every: (minutes: number) => {
      if (minutes % 1_440 === 0) return minutes === 1_440 ? 'Once a day' : `Every ${minutes / 1_440} days`
      if (minutes % 60 === 0) return `Every ${english.form(minutes / 60, 'hour', `${minutes / 60} hours`)}`
      return `Every ${minutes} minutes`
    },
    never: 'Manual only',
    ofFiles: 'Files are processed when they arrive.',
    inherit: { connection: 'Service default', service: 'Source default' },
    setBy: { connection: 'set for this connection', service: 'set for this service', source: 'source default' },
    shortest: (interval: string) => `Shortest interval that the source allows: ${interval}`,
    next: 'Next scheduled sync:',
  },
  {
    title: 'Horaire de synchronisation',
    change: 'Modifier l’horaire',
    label: 'Fréquence',
    every: (minutes) => {
      if (minutes % 1_440 === 0) return minutes === 1_440 ? 'Une fois par jour' : `Tous les ${minutes / 1_440} jours`
      if (minutes % 60 === 0) return french.form(minutes / 60, 'Toutes les heures', `Toutes les ${minutes / 60} heures`)
      return `Toutes les ${minutes} minutes`
    },
    never: 'Sur demande seulement',
    ofFiles: 'Les fichiers sont traités à leur arrivée.',
    inherit: { connection: 'Horaire du service', service: 'Horaire de la source' },
    setBy: { connection: 'défini pour cette connexion', service: 'défini pour ce service', source: 'selon la source' },
    shortest: (interval) => `Intervalle le plus court permis par la source : ${interval}`,
    next: 'Prochaine synchronisation prévue :',
  },
)
