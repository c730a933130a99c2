import { english, french } from '../../../model/texts/plural.ts'
import { table } from '../language/table.ts'

export const scheduleTexts = table(
  {
    title: 'Refresh schedule',
    change: 'Change the schedule',
    label: 'How often?',
    every: (minutes: number) => {
      if (minutes % 1_440 === 0) return minutes === 1_440 ? 'Once a day' : `Every ${minutes / 1_440} days`
      if (minutes % 60 === 0) return `Every ${english.form(minutes / 60, 'hour', `${minutes / 60} hours`)}`
      return `Every ${minutes} minutes`
    },
    never: 'Never by itself',
    ofFiles: 'Files are read when they arrive.',
    inherit: { connection: 'As the service', service: 'As the source' },
    setBy: { connection: 'set for this connection', service: 'set for this service', source: 'as the source says' },
    shortest: (interval: string) => `Shortest interval within the limits of the source: ${interval}`,
    next: 'Next scheduled reading:',
  },
  {
    title: 'Horaire des lectures',
    change: 'Modifier l’horaire',
    label: 'À quelle fréquence?',
    every: (minutes) => {
      if (minutes % 1_440 === 0) return minutes === 1_440 ? 'Une fois par jour' : `Tous les ${minutes / 1_440} jours`
      if (minutes % 60 === 0) return french.form(minutes / 60, 'Toutes les heures', `Toutes les ${minutes / 60} heures`)
      return `Toutes les ${minutes} minutes`
    },
    never: 'Jamais de façon automatique',
    ofFiles: 'Les fichiers sont lus à leur arrivée.',
    inherit: { connection: 'Comme le service', service: 'Comme la source' },
    setBy: { connection: 'défini pour cette connexion', service: 'défini pour ce service', source: 'selon la source' },
    shortest: (interval) => `Intervalle le plus court selon les limites de la source : ${interval}`,
    next: 'Prochaine lecture prévue :',
  },
)
