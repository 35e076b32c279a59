import OfflineSync

print("placeholder")
