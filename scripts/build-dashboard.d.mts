export function buildDashboard(): Promise<void>;
export function firstLoadBytes(folder: string): number;
