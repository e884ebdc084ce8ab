// Loaded into a gateway by `--import`: at SIGUSR2 its event loop turns no more.
process.on('SIGUSR2', () => {
  for (;;);
});
